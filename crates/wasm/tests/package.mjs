// The package as it was built, and texts to read.

const folder = process.env.SILCROW_PACKAGE ?? new URL("../../../target/bindings/parser/", import.meta.url).href;
export const { load } = await import(new URL("full.js", folder).href);
export const { load: loadParsers } = await import(new URL("silcrow.js", folder).href);
export { folder };

/** Texts of each form, with what is odd in them. */
export function* texts() {
  yield ["sigil", '§think: é 😀\n§call: {"name": "ls", "args": {"a": "§end"}}\n§execute\n§respond: ok §\n§end tail'];
  yield ["sigil", "§§think: escaped\n```\n§call: {}\n```\n§call: {broken\n§respond: x"];
  yield ["phase", '<think>a</think>text <execute>[{"name": "f", "args": {}}, {"name": 1}]</execute>'];
  yield ["action", '<thought>a</thought><action id="x">{"name": "f", "parameters": {}}</action><response>b</response>'];
  yield ["action", '<foreach in="files" as="f"><action id="r">{"name": "read", "parameters": {"file": "$f"}}</action></foreach>'];
  yield ["hermes", '<think>a</think>b<tool_call>{"name": "f", "arguments": {"x": [1, "é"]}}</tool_call> c <tool_call>{"na'];
  yield ["glm47", "<tool_call>f<arg_key>n</arg_key><arg_value>1</arg_value></tool_call>"];
  yield ["mistral", '[TOOL_CALLS][{"name": "a", "arguments": {}}]'];
}

/** Returns a generator of numbers below a bound, the same for the same seed. */
export function random(seed) {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >>> 8) % bound;
  };
}
