/** What each figure means: the page prints them, and the README says the same. */
export const definitions: Readonly<Record<string, string>> = {
  "Messages a second":
    "Messages that the broker has confirmed ÷ time. Median of the rounds. Each variant first publishes for a quarter of its time, which is not measured.",
  "Over awaited":
    "Median over the rounds of the rate ÷ that of one message at a time, awaited, in the same round.",
  "One, awaited": "publish() of one message, and the next when it has resolved.",
  "One, 100 in flight": "publish() of one message, 100 calls under way at once.",
  "Batches of 10, 100, 1,000": "publish() of so many messages, and the next when it has resolved.",
  Found:
    "Afterwards the broker is asked how many messages it holds. One that was confirmed and is not there makes the exit code 1.",
  "A round":
    "All variants on one broker, one after the other, in a process of its own. On memory the broker is in that process too.",
};
