//! Orders and what belongs to them.
use std::collections::HashMap;
use crate::base::{Entity, self};
mod lines;

pub const MAX_LINES: usize = 100;
static mut COUNT: u32 = 0;

/// What can be paid for.
pub trait Payable {
    type Receipt;
    const FREE: bool = false;
    fn total(&self) -> f64;
    fn pay(&self) {
        println!("paid {}", self.total());
    }
}

/// What a customer buys.
#[derive(Debug, Clone)]
pub struct Order<'a, T> {
    pub customer: &'a str,
    lines: Vec<T>,
}

pub enum Status {
    Open,
    Paid(u32),
}

impl<'a, T> Order<'a, T> {
    /// Makes an order.
    #[must_use]
    pub fn new(customer: &'a str) -> Self {
        fn check(name: &str) -> bool {
            !name.is_empty()
        }
        check(customer);
        Self { customer, lines: Vec::new() }
    }
}

impl<T> Payable for Order<'_, T> {
    type Receipt = String;
    fn total(&self) -> f64 {
        self.lines.iter().map(price::<T>).sum()
    }
}

macro_rules! order {
    ($name:expr) => {
        Order::new($name)
    };
}

pub type Result<T> = std::result::Result<T, Error>;

mod tests {
    use super::*;

    #[test]
    fn adds_up() {
        assert_eq!(Order::<f64>::new("a").total(), 0.0);
    }
}
