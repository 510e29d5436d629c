/** What each figure means: the page prints them, and the README says the same. */
export const definitions: Readonly<Record<string, string>> = {
  Rate: "Messages handled ÷ time, from the last message for warming up to the last of all. Median of the rounds.",
  "CPU a message":
    "CPU time of the consuming process, user and system, in the same span ÷ messages. Median of the rounds. Brokers are processes of their own, and not in it.",
  "Over raw":
    "Median over the rounds of rate (or CPU time) ÷ that of the raw loop in the same round. Raw is the first of each table: the fastest loop on the plain client that acknowledges only what is handled.",
  "Resident before, most meanwhile":
    "Memory of the consuming process when the measurement begins, and the most of it that was seen, every 20 ms. Medians of the rounds.",
  "consume()":
    "All of it: window, 32 keyed lanes, an asynchronous handler that does nothing, acknowledgement after the handler. The raw loops await the same handler, one message after the other.",
  "Same for all":
    "Queue, messages, prefetch (what mqtt.js and amqplib can be told), TCP_NODELAY, Node.js. Kafka: partitions, longest wait of a fetch, and as many records not committed as kafkajs has, a fetch.",
  Measurements:
    "Each in a process of its own, all ways to consume by turns within a round. The backlog is queued before; its first fifth is for warming up and is not measured.",
};
