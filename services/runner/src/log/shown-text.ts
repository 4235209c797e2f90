import { plainText } from '@berth/contracts/plain-text';
import { redactStart } from './redact.ts';
import type { TextFinder } from './text-finder.ts';

/** Only this much is searched for secrets, because the author of the text is not trusted. */
const most = 4_000;

/** A stranger's text on one line, without control characters and secrets. */
export const shownText = (text: string, secrets: TextFinder): string =>
  redactStart(text, most, secrets, (each) => plainText(each, each.length));
