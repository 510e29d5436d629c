/** What each figure means: the page prints them, and the README says the same. */
export const definitions: Readonly<Record<string, string>> = {
  "ns a message":
    "Time for all messages ÷ their number: the median of the rounds. The handler is asynchronous and does nothing, so this is what the engine adds.",
  "Over bare await":
    "The median over the rounds of the time per message ÷ that of a loop that awaits the same handler, in the same round. The loop keeps no window, no lanes and no order.",
  "Bytes a message":
    "Growth of the heap ÷ messages, in a process whose young generation is so large that nothing is collected meanwhile. The promise of the handler is in it.",
  Peers:
    "32 queues of one message at a time, the lane of a key by its hash: the cheapest way to keep order with each of them.",
  "On memory":
    "All of consume(): the memory broker holds the messages beforehand, and each is acknowledged after its handler.",
  Rounds:
    "Every contender runs in a process of its own, and all take turns within a round. Messages are built, and garbage is collected, before the clock starts.",
};
