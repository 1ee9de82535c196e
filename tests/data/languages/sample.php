<?php

declare(strict_types=1);

namespace Shop\Orders;

use Shop\Base\{Entity, Clock};
use Psr\Log\LoggerInterface as Logger;

require_once __DIR__ . '/helpers.php';

const MAX_LINES = 100;
define('CURRENCY', 'EUR');

/**
 * What can be paid for.
 */
interface Payable
{
    public function pay(Account $account): void;
}

trait Loggable
{
    protected ?Logger $logger = null;

    public function log(string $message): void
    {
        $this->logger?->info($message);
    }
}

enum Status: string
{
    case Open = 'open';
    case Paid = 'paid';

    public function label(): string
    {
        return ucfirst($this->value);
    }
}

#[Entity('orders')]
final class Order extends Base implements Payable
{
    use Loggable;

    public const LIMIT = 10;
    private array $lines = [];

    public function __construct(private readonly string $customer)
    {
    }

    /** Pays the order. */
    public function pay(Account $account): void
    {
        $account->withdraw($this->total());
        static::notify(new Receipt($this));
    }

    public static function open(string $path): self
    {
        return new self(json_decode(file_get_contents($path)));
    }
}

function total(array $lines): float
{
    $add = fn($sum, $line) => $sum + $line->price;
    return array_reduce($lines, $add, 0.0);
}
?>
<h1><?= total($order->lines) ?></h1>
