library shop.orders;

import 'dart:convert';
import 'package:shop/base.dart' as base show Entity;
export 'src/line.dart';
part 'order.g.dart';

const int maxLines = 100;

/// What can be paid for.
abstract class Payable {
  double get total;
  void pay(Account account);
}

enum Status {
  open,
  paid;

  bool get isDone => this == Status.paid;
}

mixin Loggable on Payable {
  void log(String message) => print(message);
}

@immutable
class Order extends base.Entity with Loggable implements Payable {
  final String customer;
  static int count = 0;

  Order(this.customer);

  Order.empty() : customer = '';

  factory Order.fromJson(Map<String, dynamic> json) {
    return Order(json['customer']);
  }

  /// Pays from an account.
  @override
  Future<void> pay(Account account) async {
    await account.withdraw(total);
    log('paid');
  }

  @override
  double get total => lines.fold(0, (sum, line) => sum + line.price);

  set discount(double value) {
    _discount = value;
  }

  bool operator ==(Object other) => other is Order;
}

extension Totals on List<Order> {
  double sum() => fold(0, (a, b) => a + b.total);
}

typedef Handler = void Function(Order order);

Order open(String path) {
  return Order.fromJson(jsonDecode(File(path).readAsStringSync()));
}
