import { type Environment } from '../config/environment';

/** A limit on a number of entities: a setting, or a fixed number, and the message for exceeding it. */
export type CountLimit = { message: Message } & ({ setting: CountSetting } | { fixed: number });

type Message = (most: number) => string;

/** The settings that are numbers. */
type CountSetting = {
  [Name in keyof Environment]-?: Environment[Name] extends number ? Name : never;
}[keyof Environment];

export const limitFromSetting = (setting: CountSetting, message: Message): CountLimit => ({
  setting,
  message,
});

/** Returns the limit on a number per project. */
export const limitPerProject = (setting: CountSetting, things: string): CountLimit =>
  limitFromSetting(setting, (most) => `A project can have at most ${most} ${things}.`);
