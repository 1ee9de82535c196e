package shop.orders;

import java.util.List;
import static java.util.stream.Collectors.*;

/**
 * What a customer buys.
 */
@Entity
public class Order<T> extends Base implements Payable {
    public static final int MAX_LINES = 100;
    private List<Line> lines, archived;

    /** Makes an order. */
    public Order(String customer) {
        super(customer);
        this.lines = new ArrayList<>();
    }

    @Override
    public double total() {
        return lines.stream().mapToDouble(Line::price).sum();
    }

    static class Line {
        double price;

        Line(double price) {
            this.price = price;
        }
    }

    enum Status {
        OPEN, PAID("paid");

        boolean done() {
            return this == PAID;
        }
    }

    interface Payable {
        int FREE = 0;
        void pay(Account account) throws PaymentException;
    }

    record Money(double amount) {
        Money {
            check(amount);
        }
    }

    @interface Audited {
        String value() default "";
    }
}
