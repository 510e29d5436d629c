import { queue } from "async";
import fastq from "fastq";
import PQueue from "p-queue";
import { concatMap, groupBy, mergeMap, Subject } from "rxjs";
import { type Contender, handler, laneOf, lanes, windowed } from "./contender.ts";

/**
 * What users would take instead. Each has 32 lanes of one message at a time, and a key's lane is its hash: the cheapest
 * way to keep order with it. One queue for each key would cost more, and never be freed.
 */
export const peers: readonly Contender[] = [
  {
    name: "p-queue",
    peer: "p-queue@9.3.5",
    prepare: windowed((settled) => {
      const queues = Array.from({ length: lanes }, () => new PQueue({ concurrency: 1 }));
      return (message) => {
        void queues[laneOf(message)]?.add(() => handler(message)).then(settled);
      };
    }),
  },
  {
    name: "fastq",
    peer: "fastq@1.20.3",
    // Its callbacks, not its promises: they are faster.
    prepare: windowed((settled) => {
      const queues = Array.from({ length: lanes }, () =>
        fastq<unknown, Parameters<typeof handler>[0]>((message, done) => {
          handler(message).then(() => done(null), done);
        }, 1),
      );
      return (message) => queues[laneOf(message)]?.push(message, settled);
    }),
  },
  {
    name: "async",
    peer: "async@3.2.6",
    prepare: windowed((settled) => {
      const queues = Array.from({ length: lanes }, () =>
        queue<Parameters<typeof handler>[0]>(async (message) => handler(message), 1),
      );
      return (message) => {
        queues[laneOf(message)]?.push(message, settled);
      };
    }),
  },
  {
    name: "rxjs",
    peer: "rxjs@7.8.2",
    prepare: windowed((settled) => {
      const messages = new Subject<Parameters<typeof handler>[0]>();
      messages
        .pipe(
          groupBy(laneOf),
          mergeMap((lane) => lane.pipe(concatMap((message) => handler(message)))),
        )
        .subscribe(settled);
      return (message) => messages.next(message);
    }),
  },
];
