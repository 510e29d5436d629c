/**
 * FNV-1a over the UTF-16 units with a final mix. Without the mix, keys that differ in few bits can all fall on one
 * lane; with it, lanes fill as evenly as a random choice would.
 */
export function hashKey(key: string): number {
  let hash = 0x811c9dc5 | 0;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
