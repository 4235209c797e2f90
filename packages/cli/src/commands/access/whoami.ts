import { unwrap } from '@berth/client';
import { buildCommand } from '@stricli/core';
import { addressOf, clientOf, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { type Cli, print } from '../../terminal/cli.ts';
import { identityWords } from './identity-words.ts';
import { tokenId } from './token-id.ts';

export const whoami = buildCommand<ConnectionFlags, [], Cli>({
  docs: {
    brief: 'Say which platform the commands ask, as whom, and with which token',
    fullDescription: [
      'Say which platform the commands ask, as whom, with which token, and whether a context or the environment says so. The id of the token is that of `berth token list`; its value is not shown.',
      '',
      '  berth whoami',
    ].join('\n'),
  },
  parameters: { flags: connectionFlags },
  async func(flags) {
    const { url, token, from } = await addressOf(this, flags);
    const identity = unwrap(await clientOf(this, flags, { url, token }).me.get());
    const id = tokenId(token);
    const isSiteAdmin = 'User' in identity && identity.User.is_admin;
    print(this, `platform: ${url}`);
    print(this, `identity: ${identityWords(identity)}${isSiteAdmin ? ', site admin' : ''}`);
    print(this, `credential: ${id === null ? 'session' : `token ${id}`}`);
    print(this, `from: ${from}`);
  },
});
