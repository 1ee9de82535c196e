// Package orders has what customers buy.
package orders

import (
	"fmt"
	base "example.org/shop/base"
)

const MaxLines = 100

const (
	Open Status = iota
	Paid
)

var count, total int

type Status int

// Payable can be paid for.
type Payable interface {
	Total() float64
	Pay(account *Account) error
}

// Order is what a customer buys.
type Order[T any] struct {
	Customer string
	lines    []T
	*base.Entity
}

type Handler = func(order *Order[Line])

// New makes an order.
func New(customer string) *Order[Line] {
	return &Order[Line]{Customer: customer}
}

// Pay pays from an account.
func (o *Order[T]) Pay(account *Account) error {
	defer func() { count++ }()
	return account.Withdraw(o.Total())
}

func (o Order[T]) Total() (sum float64) {
	for _, line := range o.lines {
		sum += price(line)
	}
	fmt.Println(sum)
	return
}
