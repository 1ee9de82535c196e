-- What is taken next of a checkout, however much waits of it.
DROP INDEX queue_by_checkout;
CREATE INDEX queue_by_checkout ON unified_queue (checkout_id, status, priority DESC, created_at);
