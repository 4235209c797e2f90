import { AnswerTooLarge } from '@berth/kube/kube-error';

/** A list of a cluster exceeds a limit that smaller pages cannot avoid. */
export class ListTooLarge extends AnswerTooLarge {
  constructor(most: number, words: string, options?: ErrorOptions) {
    super(most, words);
    this.cause = options?.cause;
  }
}
