import { readFileSync } from 'node:fs';
import { PasswordHasherService } from '../../src/users/passwords/password-hasher.service';

describe('the stack of an error in the service', () => {
  it('names the line of the source', () => {
    const hasher = Object.create(PasswordHasherService.prototype) as PasswordHasherService;
    let stack = '';
    try {
      void hasher.hash('without its turns');
    } catch (error) {
      ({ stack = '' } = error as Error);
    }
    const [, file = '', line] = /\((\S+password-hasher\.service\.ts):(\d+):\d+\)/.exec(stack) ?? [];
    expect(readFileSync(file, 'utf8').split('\n')[Number(line) - 1]).toContain('return this.turns.run(');
  });
});
