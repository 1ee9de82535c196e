import Foundation
import struct SwiftUI.Color

/// What can be paid for.
protocol Payable {
    associatedtype Receipt
    var total: Double { get }
    func pay(from account: Account) throws -> Receipt
}

enum Status: String {
    case open, paid
    case failed(String)

    var label: String { rawValue.capitalized }
}

struct Line {
    let product: String
    var count = 1
}

@MainActor
public final class Order: Base, Payable {
    static let maxLines = 100
    private var lines: [Line] = []

    init(customer: String) {
        self.customer = customer
        super.init()
    }

    deinit {
        cancel()
    }

    var total: Double {
        lines.reduce(0) { $0 + $1.price }
    }

    /// Pays from an account.
    /// - Parameter account: who pays
    func pay(from account: Account) throws -> String {
        try account.withdraw(total)
        notify(self)
        return "paid"
    }

    subscript(index: Int) -> Line {
        lines[index]
    }
}

extension Order: CustomStringConvertible {
    var description: String { "Order" }

    func refund() async {
        await Bank.shared.refund(self)
    }
}

typealias Handler = (Order) -> Void

let currency = "EUR"

func open(path: String) -> Order? {
    return Order(customer: path)
}

infix operator +++
