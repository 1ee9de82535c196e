package shop.orders

import kotlinx.coroutines.flow.Flow
import shop.base.Entity as Base

/** What can be paid for. */
interface Payable {
    val total: Double
    fun pay(account: Account)
}

enum class Status(val label: String) {
    OPEN("open"),
    PAID("paid");

    fun isDone() = this == PAID
}

data class Line(val product: String, val count: Int)

sealed class Result<out T> {
    data class Success<T>(val value: T) : Result<T>()
    object Failure : Result<Nothing>()
}

@Serializable
class Order(private val customer: String) : Base(), Payable {
    private val lines = mutableListOf<Line>()
    override val total: Double
        get() = lines.sumOf { it.count * price(it) }

    constructor(customer: String, lines: List<Line>) : this(customer) {
        this.lines.addAll(lines)
    }

    init {
        require(customer.isNotEmpty())
    }

    /**
     * Pays from an account.
     */
    override suspend fun pay(account: Account) {
        account.withdraw(total)
        println("paid")
    }

    companion object {
        const val MAX_LINES = 100
        fun open(path: String): Order = Order(read(path))
    }
}

object Registry {
    fun register(order: Order) = orders.add(order)
}

typealias Handler = (Order) -> Unit

const val CURRENCY = "EUR"

fun <T> List<T>.second(): T = this[1]

fun main(args: Array<String>) {
    Order(args.first()).pay(Account())
}
