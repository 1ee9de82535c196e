package shop.orders

import scala.collection.mutable.{ListBuffer, Map => MutableMap}
import shop.base.Entity

/** What can be paid for. */
trait Payable {
  type Receipt
  def total: Double
  def pay(account: Account): Unit
}

sealed abstract class Status(val label: String)

case class Line(product: String, count: Int)

enum Colour:
  case Red, Green

@deprecated
class Order(customer: String) extends Entity with Payable {
  private val lines = ListBuffer.empty[Line]
  var discount: Double = 0

  def this() = this("nobody")

  /** Adds up.
    *
    * All lines.
    */
  override def total: Double = lines.map(line => price(line)).sum

  def pay(account: Account): Unit = {
    def round(value: Double): Int = math.round(value).toInt
    account.withdraw(round(total))
    new Receipt(this)
  }
}

object Order {
  val MaxLines = 100
  def open(path: String): Order = new Order(read(path))
}

type Handler = Order => Unit

given ordering: Ordering[Order] = Ordering.by(_.total)

extension (order: Order)
  def isPaid: Boolean = order.total == 0

def main(args: Array[String]): Unit =
  Order.open(args.head).pay(Account())
