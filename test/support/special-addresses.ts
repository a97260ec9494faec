/** First, middle and last address of every non-public range of IPv4. */
export const SPECIAL_IPV4 = [
  ...['0.0.0.0', '0.128.0.1', '0.255.255.255'],
  ...['10.0.0.0', '10.128.0.1', '10.255.255.255'],
  ...['100.64.0.0', '100.96.0.1', '100.127.255.255'],
  ...['127.0.0.0', '127.0.0.1', '127.255.255.255'],
  ...['169.254.0.0', '169.254.169.254', '169.254.255.255'],
  ...['172.16.0.0', '172.24.0.1', '172.31.255.255'],
  ...['192.0.0.0', '192.0.0.170', '192.0.0.255'],
  ...['192.0.2.0', '192.0.2.128', '192.0.2.255'],
  ...['192.31.196.0', '192.31.196.128', '192.31.196.255'],
  ...['192.52.193.0', '192.52.193.128', '192.52.193.255'],
  ...['192.88.99.0', '192.88.99.1', '192.88.99.255'],
  ...['192.168.0.0', '192.168.128.1', '192.168.255.255'],
  ...['192.175.48.0', '192.175.48.128', '192.175.48.255'],
  ...['198.18.0.0', '198.19.0.1', '198.19.255.255'],
  ...['198.51.100.0', '198.51.100.128', '198.51.100.255'],
  ...['203.0.113.0', '203.0.113.128', '203.0.113.255'],
  ...['224.0.0.0', '232.0.0.1', '239.255.255.255'],
  ...['240.0.0.0', '248.0.0.1', '255.255.255.255'],
];

/** The same for IPv6, including addresses that embed one of IPv4. */
export const SPECIAL_IPV6 = [
  ...['::', '::1', '::2', '::7f00:1', '::ffff:ffff'],
  ...['::ffff:0:0', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '::ffff:8.8.8.8', '::ffff:ffff:ffff'],
  ...['::ffff:0:0:0', '::ffff:0:7f00:1', '::ffff:0:ffff:ffff'],
  ...['64:ff9b::', '64:ff9b::10.0.0.1', '64:ff9b::ffff:ffff'],
  ...['64:ff9b:1::', '64:ff9b:1:8000::1', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ...['100::', '100::8000:0:0:1', '100::ffff:ffff:ffff:ffff'],
  ...[
    '2001::',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:100::1',
    '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
  ],
  ...['2001:db8::', '2001:db8:8000::1', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ...['2002::', '2002:7f00:1::1', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ...['3fff::', '3fff:800::1', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ...['5f00::', '5f00:8000::1', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ...['fc00::', 'fd00:ec2::254', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ...['fe80::', 'fe80::a9fe:a9fe', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ...['fec0::', 'fee0::1', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ...['ff00::', 'ff02::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
];

/** The neighbours of those ranges, and well-known addresses. */
export const PUBLIC_ADDRESSES = [
  ...['1.0.0.0', '1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '93.184.216.34'],
  ...['100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0', '169.253.255.255', '169.255.0.0'],
  ...['172.15.255.255', '172.32.0.0', '192.0.1.0', '192.0.3.0', '192.31.195.255', '192.31.197.0'],
  ...['192.52.192.255', '192.52.194.0', '192.88.98.255', '192.88.100.0', '192.167.255.255', '192.169.0.0'],
  ...['192.175.47.255', '192.175.49.0', '198.17.255.255', '198.20.0.0', '198.51.99.255', '198.51.101.0'],
  ...['203.0.112.255', '203.0.114.0', '223.255.255.255'],
  ...['2001:200::', '2001:4860:4860::8888', '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'],
  ...['2003::', '2400:cb00::1', '2606:4700::1111', '2a00:1450::1', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
];

/** Writes an address as a URL that leads there, or might. */
type Spelling = (address: string) => string;

const octets = (address: string): [number, number, number, number] =>
  address.split('.').map(Number) as [number, number, number, number];
const asNumber = (address: string): number => octets(address).reduce((sum, octet) => sum * 256 + octet, 0);
const hex = (number: number): string => number.toString(16);
const octal = (number: number): string => `0${number.toString(8)}`;
const hexPair = (address: string): string => {
  const [a, b, c, d] = octets(address);
  return `${hex(a * 256 + b)}:${hex(c * 256 + d)}`;
};
const escaped = (text: string): string =>
  [...text].map((character) => `%${hex(character.charCodeAt(0))}`).join('');
const shifted = (text: string, by: number): string =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(Number(digit) + by));

export const IPV4_SPELLINGS: Record<string, Spelling> = {
  dotted: (address) => `http://${address}/`,
  decimal: (address) => `http://${asNumber(address)}/`,
  octal: (address) => `http://${octal(asNumber(address))}/`,
  hexadecimal: (address) => `http://0x${hex(asNumber(address))}/`,
  'hexadecimal in capitals with zeros': (address) =>
    `http://0X${hex(asNumber(address)).toUpperCase().padStart(12, '0')}/`,
  'dotted octal': (address) => `http://${octets(address).map(octal).join('.')}/`,
  'dotted octal with zeros': (address) =>
    `http://${octets(address)
      .map((octet) => octal(octet).padStart(6, '0'))
      .join('.')}/`,
  'dotted hexadecimal': (address) =>
    `http://${octets(address)
      .map((octet) => `0x${hex(octet)}`)
      .join('.')}/`,
  mixed: (address) => {
    const [a, b, c, d] = octets(address);
    return `http://0x${hex(a)}.${octal(b)}.${c}.${octal(d)}/`;
  },
  'three parts': (address) => {
    const [a, b, c, d] = octets(address);
    return `http://${a}.${b}.${c * 256 + d}/`;
  },
  'two parts': (address) => {
    const [a, b, c, d] = octets(address);
    return `http://${a}.${(b * 256 + c) * 256 + d}/`;
  },
  'two parts, mixed': (address) => {
    const [a, b, c, d] = octets(address);
    return `http://${octal(a)}.0x${hex((b * 256 + c) * 256 + d)}/`;
  },
  'trailing dot': (address) => `http://${address}./`,
  'percent-encoded': (address) => `http://${escaped(address)}/`,
  'percent-encoded dots': (address) => `http://${address.replaceAll('.', '%2e')}/`,
  'full-width digits': (address) => `http://${shifted(address, 0xff10)}/`,
  'mathematical digits': (address) => `http://${shifted(address, 0x1d7ce)}/`,
  'ideographic dots': (address) => `http://${address.replaceAll('.', '\u3002')}/`,
  'full-width dots': (address) => `http://${address.replaceAll('.', '\uff0e')}/`,
  'soft hyphen inside': (address) => `http://${address.replace('.', '\u00ad.')}/`,
  'tab inside': (address) => `http://${address.replace('.', '.\t')}/`,
  'line end inside': (address) => `ht\ntp://${address}\r\n/`,
  backslashes: (address) => `http:\\\\${address}\\hooks`,
  'no slashes': (address) => `http:${address}`,
  'many slashes': (address) => `http:////${address}/`,
  'blanks around': (address) => `  http://${address}/  `,
  port: (address) => `http://${address}:8080/`,
  'port 0': (address) => `http://${address}:0/`,
  'path and query': (address) => `http://${address}/hooks?to=example.com#part`,
  'user information': (address) => `http://example.com@${address}/`,
  'user information with a password': (address) => `http://example.com:80@${address}/`,
  'scheme in capitals': (address) => `HTTPS://${address}/`,
  'IPv4-mapped': (address) => `http://[::ffff:${address}]/`,
  'IPv4-mapped in hexadecimal': (address) => `http://[::ffff:${hexPair(address)}]/`,
  'IPv4-mapped, expanded, in capitals': (address) =>
    `http://[0:0:0:0:0:FFFF:${hexPair(address).toUpperCase()}]/`,
  'IPv4-compatible': (address) => `http://[::${address}]/`,
  'IPv4-translated': (address) => `http://[::ffff:0:${hexPair(address)}]/`,
  NAT64: (address) => `http://[64:ff9b::${address}]/`,
  'local NAT64': (address) => `http://[64:ff9b:1::${hexPair(address)}]/`,
  '6to4': (address) => `http://[2002:${hexPair(address)}::1]/`,
  // Teredo inverts every bit of the client's address.
  Teredo: (address) => {
    const [a, b, c, d] = octets(address).map((octet) => 255 - octet) as [number, number, number, number];
    return `http://[2001:0:4136:e378:8000:63bf:${hex(a * 256 + b)}:${hex(c * 256 + d)}]/`;
  },
};

/** Expands an address to eight groups of four digits. */
function expanded(address: string): string {
  const dotted = /\d+\.\d+\.\d+\.\d+$/.exec(address)?.[0];
  const plain = dotted ? address.replace(dotted, hexPair(dotted)) : address;
  const [head = '', tail] = plain.split('::');
  const groupsOf = (part = ''): string[] => (part === '' ? [] : part.split(':'));
  const [first, last] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array<string>(8 - first.length - last.length).fill('0');
  return [...first, ...zeros, ...last].map((group) => group.padStart(4, '0')).join(':');
}

/** Writes the last two groups in the notation of IPv4. */
const withDottedEnd = (address: string): string => {
  const groups = expanded(address).split(':');
  const end = groups
    .slice(6)
    .flatMap((group) => [parseInt(group.slice(0, 2), 16), parseInt(group.slice(2), 16)]);
  return `${groups.slice(0, 6).join(':')}:${end.join('.')}`;
};

export const IPV6_SPELLINGS: Record<string, Spelling> = {
  compressed: (address) => `http://[${address}]/`,
  expanded: (address) => `http://[${expanded(address)}]/`,
  'in capitals': (address) => `http://[${expanded(address).toUpperCase()}]/`,
  'without leading zeros': (address) => `http://[${expanded(address).replace(/\b0+(?=[\da-f])/g, '')}]/`,
  'dotted end': (address) => `http://[${withDottedEnd(address)}]/`,
  port: (address) => `http://[${address}]:8080/`,
  path: (address) => `https://[${address}]/hooks?to=example.com`,
  'user information': (address) => `http://example.com@[${address}]/`,
  'scheme in capitals': (address) => `HTTP://[${address}]/`,
  backslashes: (address) => `http:\\\\[${address}]\\`,
  'no slashes': (address) => `http:[${address}]`,
  'tab inside': (address) => `http://[\t${address}]/`,
  'zone id': (address) => `http://[${address}%25eth0]/`,
};
