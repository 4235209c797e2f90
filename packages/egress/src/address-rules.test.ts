import { describe, expect, test } from 'vitest';
import { addressRules } from './address-rules.ts';

describe('addressRules', () => {
  test.for([
    '127.0.0.1',
    '127.8.9.10',
    '0.0.0.0',
    '169.254.169.254',
    '100.100.100.200',
    '::1',
    '::',
    'fe80::1',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
    '::ffff:7f00:1',
    '64:ff9b::169.254.169.254',
    '64:ff9b::127.0.0.1',
    '64:ff9b::100.100.100.200',
    '64:ff9b::224.0.0.1',
    '64:ff9b::255.255.255.255',
    '64:ff9b::168.63.129.16',
    '64:ff9b::192.0.0.192',
    '64:ff9b:1::1',
    '64:ff9b:1:ffff::127.0.0.1',
    '168.63.129.16',
    '::ffff:168.63.129.16',
    '192.0.0.192',
    '::ffff:192.0.0.192',
    'fd20:ce::254',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
    '::127.0.0.1',
    '::169.254.169.254',
    '::8.8.8.8',
    '255.255.255.255',
    'localhost',
    '',
  ])('denies %s', (address) => {
    expect(addressRules([])(address)).toBe(false);
  });

  test.for([
    '10.1.2.3',
    '192.168.0.5',
    '192.0.1.1',
    '168.63.129.17',
    '93.184.215.14',
    '::ffff:93.184.215.14',
    '::ffff:10.1.2.3',
    '64:ff9b::93.184.215.14',
    '2606:2800::1',
    '2003::1',
    'fd12::1',
    'fd20:ce::253',
  ])('permits %s', (address) => {
    expect(addressRules([])(address)).toBe(true);
  });

  test('permits a denied address only if it is allowed explicitly', () => {
    const permits = addressRules(['127.0.0.1', '::1/128']);

    expect(permits('127.0.0.1')).toBe(true);
    expect(permits('::1')).toBe(true);
    expect(permits('127.0.0.2')).toBe(false);
    expect(permits('169.254.169.254')).toBe(false);
  });
});
