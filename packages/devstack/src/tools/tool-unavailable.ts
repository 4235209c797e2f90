/** A tool is missing, has a wrong version, or can be neither downloaded nor built. The message says how to provide it. */
export class ToolUnavailable extends Error {
  override readonly name = 'ToolUnavailable';
}
