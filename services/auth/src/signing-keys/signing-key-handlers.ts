import { implement } from '@berth/shared/bus/rpc/implement';
import { signingKeys } from '@berth/shared/contracts/resources/signing-keys';
import type { KeyRing } from './key-ring.ts';

export const signingKeyHandlers = ({ keyRing }: { keyRing: Pick<KeyRing, 'published'> }) =>
  implement(signingKeys, {
    list: async () => ({ keys: keyRing.published() }),
  });
