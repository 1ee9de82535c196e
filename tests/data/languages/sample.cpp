#include <vector>
#include "order.hpp"

namespace shop::orders {

using Lines = std::vector<Line>;
template <typename T>
concept Priced = requires(T t) { t.price(); };

/// What can be paid for.
class Payable {
 public:
  virtual ~Payable() = default;
  virtual double total() const = 0;
};

/// What a customer buys.
template <Priced T>
class Order final : public Payable {
 public:
  explicit Order(std::string customer);
  Order(const Order&) = delete;

  double total() const override {
    return sum(lines_);
  }

  T& operator[](size_t index) { return lines_[index]; }
  static Order* open(const char* path);

  enum class Status { Open, Paid };

 private:
  Lines lines_;
  static constexpr int kMaxLines = 100;
};

template <Priced T>
Order<T>::Order(std::string customer) : customer_(std::move(customer)) {}

double Account::withdraw(double amount) {
  Order local(amount);
  return ledger->post<double>(amount);
}

Account& Account::operator+=(double amount) {
  balance_ += amount;
  return *this;
}

std::string* name_of(const Order<Line>& order) { return new std::string(order.name()); }

struct Point {
  int x = 0, y = 0;
};

}  // namespace shop::orders

int main(int argc, char** argv) {
  auto order = shop::orders::Order<Line>::open(argv[1]);
  return shop::orders::run(order);
}
