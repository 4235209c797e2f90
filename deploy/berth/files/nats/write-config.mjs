// Puts the passwords, a file for each user, into the configuration of NATS: write-config.mjs <folder with both> <file to write>
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, file] = process.argv.slice(2);
const text = readFileSync(join(folder, 'nats.conf'), 'utf8');
const passwordOf = (user) => readFileSync(join(folder, user), 'utf8').trim();
const inText = (password) => JSON.stringify(password).slice(1, -1);
const inUrl = (password) => encodeURIComponent(password);
const whole = text
  .replaceAll(/<password of ([a-z-]+)>/g, (_, user) => inText(passwordOf(user)))
  .replaceAll(/<password in the URL of ([a-z-]+)>/g, (_, user) => inUrl(passwordOf(user)));
writeFileSync(file, whole, { mode: 0o440 });
