/** What each figure means: the page prints them, and the README says the same. */
export const definitions: Readonly<Record<string, string>> = {
  "Messages a second": "Messages that the broker has confirmed ÷ time. Median of the rounds.",
  "Over awaited":
    "Median over the rounds of the rate ÷ that of our publisher with one message at a time, awaited, in the same round; of plain clients too.",
  "One, awaited": "publish() of one message, and the next when it has resolved.",
  "One, 100 in flight": "publish() of one message, 100 calls under way at once.",
  "Batches of 10, 100, 1,000": "publish() of so many messages, and the next when it has resolved.",
  "Plain clients":
    "The broker's client library alone, with its version: one message or 100, and the next when the broker has confirmed them. mqtt.js: publishAsync with QoS 1, TCP_NODELAY. amqplib: confirm channel, persistent, waitForConfirms. kafkajs: send with acks of all replicas, idempotent. solclientjs: persistent, acknowledged one by one, window of 255.",
  Found:
    "Afterwards the broker is asked how many messages it holds. One that was confirmed and is not there makes the exit code 1.",
  "A round":
    "All variants on one broker, one after the other, in a process of its own: first each for a quarter of its time, which is not measured, then all again. On memory the broker is in that process too; with lab it is in the process that started this one.",
};
