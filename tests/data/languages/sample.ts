import type { Account } from './account'
import base = require('./base')
export { Line } from './line'

/** What can be paid for. */
export interface Payable<T = number> {
  readonly total: T
  pay(account: Account): void
}

export type Handler = (order: Order) => void

export const enum Status {
  Open,
  Paid = 'paid',
}

declare module 'shop' {
  function open(path: string): Order
}

namespace Shop {
  export function close(): void {}
}

export abstract class Order implements Payable {
  private lines: Line[] = []
  static readonly MAX = 100
  handler = (event: Event): void => {
    this.emit(event)
  }

  constructor(private readonly customer: string) {}

  abstract get total(): number

  @log()
  pay(account: Account): void
  pay(account: Account, amount?: number): void {
    account.withdraw<number>(amount ?? this.total)
  }
}

export function total(orders: Order[]): number
export function total(orders: unknown): number {
  return sum(orders)
}

export const currency = 'EUR'
export default function main() {}
