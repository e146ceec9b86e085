// The pictures, documents and sounds in an event. It knows no elements and no connection.

/** Returns the media of an event. */
export const mediaOf = (event) => (event.parts ?? []).filter(({ type }) => type === "media").map(({ media }) => media);

/** Returns the words of an event, without the lines that stand for its media. */
export function wordsOf(event) {
  const media = mediaOf(event);
  if (media.length === 0) return event.content;
  const texts = event.parts.filter(({ type }) => type === "text").map(({ text }) => text);
  return texts.join("\n");
}
