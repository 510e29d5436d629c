/** A frame that is not SMF, or not the part of it that the double speaks. Its connection is closed. */
export class MalformedFrame extends Error {
  override readonly name: string = "MalformedFrame";
}
