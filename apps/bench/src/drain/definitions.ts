/** What each figure means: the page prints them, and the README says the same. */
export const definitions: Readonly<Record<string, string>> = {
  Elapsed: "From the first delivery to the last settle. Connecting and subscribing are not in it.",
  Throughput: "Messages ÷ elapsed.",
  "Speed-up":
    "Elapsed of the inline run on the same broker in the same report, divided by the elapsed of this run. Timers are a little later in slower runs, so it can lie just above the number of lanes; over the bound is free of that.",
  Bound:
    "No schedule is faster: the larger of all handler times ÷ lanes, and the longest chain of one key. From the handler times as measured in that run.",
  "Over the bound": "Elapsed ÷ bound. 1 is perfect.",
  Wait: "From the delivery of a message to the start of its handler: how long it lay in the process, prefetched. The window limits it. p50 and p99 are nearest-rank percentiles over the messages of the run.",
  "Order violations":
    "Messages whose handler started before that of an earlier message of the same key. Each message carries its position within its key.",
  Overlaps: "Handlers that started while another message of the same key was being handled.",
  Duplicates:
    "Messages handled again after they had been handled. None is expected while no connection is lost.",
  Lost: "Published messages that were never handled.",
  "Left on the broker": "Messages that the broker still held after the run.",
  "Most unsettled":
    "The most deliveries unsettled at once, counted between adapter and engine. Never above the window.",
};
