import { mentionsIn } from './mentions';

describe('mentionsIn', () => {
  it.each([
    ['nobody', [], [], false],
    ['<@U12> look', [12], [], false],
    ['<@U3>, <@U1>and<@U3>', [3, 1], [], false],
    ['<@project> and <@U7>', [7], [], true],
    ['<@T4>, <@U4> and <@T2><@T4>', [4], [4, 2], false],
    ['<@U0> <@U01> <@U-1> <@U1.5> <@U> <@12> <@u12> <@Project> <@t4> <@T0> <@T> <@G1> <@U1', [], [], false],
    ['<@U9999999999999999><@T9999999999999999>', [], [], false],
    ['<<@U5>>', [5], [], false],
  ])('finds the mentions in %j', (text, userIds, teamIds, everyone) => {
    expect(mentionsIn(text)).toEqual({ userIds, teamIds, everyone });
  });
});
