import { plainText } from '@berth/contracts/plain-text';
import { redact } from './redact.ts';

/** More of it is not searched for secrets: whoever wrote it does not decide how long that takes. */
const most = 4_000;

/** A text of strangers on one line, without what a terminal or a page would act on, and without secrets. */
export const shownText = (text: string, secrets: readonly string[]): string => redact(plainText(text, most), secrets);
