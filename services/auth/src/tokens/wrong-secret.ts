import { AppError } from '@berth/contracts/errors';
import { notAuthenticated } from './jwt-verifier.ts';

/** A token that exists, with another secret. The caller gets the answer for an unknown token; the audit log gets the id. */
export class WrongSecret extends AppError {
  declare readonly tokenId: string;

  constructor(tokenId: string) {
    const { code, message } = notAuthenticated();
    super(code, message);
    this.tokenId = tokenId;
  }
}
