'use strict'
const http = require('http')
import fs, { readFile } from 'node:fs'
export * from './lines.js'

const MAX_LINES = 100
let count = 0, total = 1

/**
 * What a customer buys.
 */
export default class Order extends Base {
  static limit = 10
  #lines = []
  onPaid = (event) => this.emit(event)

  constructor(customer) {
    super()
    this.customer = customer
  }

  get total() {
    return this.#lines.reduce((sum, line) => sum + line.price, 0)
  }

  async *pages() {
    yield* fetchAll(this)
  }
}

// Reads an order.
export const read = async (path) => {
  const parse = (text) => JSON.parse(text)
  return parse(await readFile(path))
}

const add = (a, b) => a + b, sub = (a, b) => a - b

exports.open = function open(path) {
  return new Order(read(path))
}

Order.prototype.pay = function (account) {
  account.withdraw(this.total)
}

function* ids() {
  yield 1
}

module.exports = {
  close() {
    count += 1
  },
  reopen: function () {},
}
