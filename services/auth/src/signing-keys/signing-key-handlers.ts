import { implement } from '@berth/bus/rpc/implement';
import { signingKeys } from '@berth/contracts/resources/accounts/signing-keys';
import type { KeyRing } from './key-ring.ts';

export const signingKeyHandlers = ({ keyRing }: { keyRing: Pick<KeyRing, 'published'> }) =>
  implement(signingKeys, {
    list: async () => ({ keys: keyRing.published() }),
  });
