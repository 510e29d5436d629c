/** What each figure means: the page prints them, and the README says the same. */
export const definitions: Readonly<Record<string, string>> = {
  "The scenario":
    "Half of the topics are values of the server, half of the client. Each side changes its own at the rate, in 50 batches a second, and mirrors the other's. The client subscribes to every topic, so its own changes come back to it. QoS 1, retained, a time of 8 bytes as payload. Server and client are processes of their own.",
  Batched:
    "All changes that are due are given to the broker at once: with lab one call of inject(); with aedes, which has none, as many calls in one turn; from clients as many calls of publish() in one turn, which share a write.",
  Single: "One change at a time, and the next when its promise has resolved.",
  "As many as can be sent":
    "With a rate of max, 2,000 changes at once or one at a time, the next when the promise of the last has resolved. The sides take turns, so that each direction is measured for itself, and the client does not subscribe to its own changes.",
  "With mosquitto":
    "The broker is a third process, and the server is a client of it like the other.",
  "Modifications a second":
    "Changes of the other side that were mirrored here in one second. The count is that of seconds.",
  "End-to-end latency":
    "From the change on one side until it is mirrored on the other, in ms. A change that waits to be sent grows old meanwhile.",
  "Processing latency":
    "From the first message of a turn of the event loop until a change is mirrored, in ms: how long it waits behind what came with it.",
  "P50 to P99.9":
    "Nearest-rank percentiles of up to 50,000 values, each as likely to be among them as any other. All other figures are of every value.",
  Sent: "Changes that the broker has taken, those for warming up included (a fifth of the run before, 3 s at most). What was not taken 2 s after the last change is not sent.",
  "Memory, heap, allocated":
    "The most resident memory and the most heap of the process, in MB, and the growth of its heap between collections in MB a second, looked at every 20 ms.",
};
