/** TCP sockets that this process has open. Those of the test bed's proxy are among them: two for each of a client. */
export function sockets(): number {
  return process.getActiveResourcesInfo().filter((type) => type.startsWith("TCP")).length;
}
