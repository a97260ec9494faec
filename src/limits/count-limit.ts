import { type Environment } from '../config/environment';

/** A limit on a number of entities: a setting, or a fixed number, and the message for exceeding it. */
export type CountLimit = { message: Message } & ({ setting: CountSetting } | { fixed: number });

type Message = (most: number) => string;

/** The settings that are numbers. */
type CountSetting = {
  [Name in keyof Environment]-?: Environment[Name] extends number ? Name : never;
}[keyof Environment];

export const ofSetting = (setting: CountSetting, message: Message): CountLimit => ({ setting, message });

export const inProject =
  (things: string): Message =>
  (most) =>
    `A project can have at most ${most} ${things}.`;
