import { type CommandFile } from '../command';
import { serve } from '../../serve';

export const configure: CommandFile['configure'] = (command) => {
  command.action(serve);
};
