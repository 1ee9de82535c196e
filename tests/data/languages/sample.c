#include <stdio.h>
#include "shop/base.h"

#define MAX_LINES 100
#define PRICE(line) ((line)->count * (line)->price)

typedef unsigned int order_id;
typedef void (*handler_fn)(struct order *order);

/* What a customer buys. */
struct order {
  char *customer;
  struct line lines[MAX_LINES];
  double (*total)(const struct order *);
};

typedef struct {
  double price;
  int count;
} line_t;

enum status { STATUS_OPEN, STATUS_PAID = 2 };

union money {
  double euros;
  long cents;
};

static int count = 0;
const char *currency = "EUR";
extern double rates[];

double total(const struct order *order);

/**
 * Adds up the lines.
 */
double total(const struct order *order) {
  double sum = 0;
  for (int i = 0; i < MAX_LINES; i++) {
    sum += PRICE(&order->lines[i]);
  }
  return sum;
}

static struct order *
order_open(const char *path)
{
  FILE *file = fopen(path, "r");
  return parse(file);
}
