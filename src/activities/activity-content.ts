import { type UserDto } from '../users/dto/user.dto';

/** One change in the content of an activity; values are ids or texts. */
export interface ActivityChange {
  field: string;
  new_value: string;
  old_value: string;
  /** `custom` for a custom field, which is identified by its name. */
  type: 'standard' | 'custom';
}

/** Returns a change that adds something, such as a file. */
export const addition = (field: string, value: string): ActivityChange => ({
  field,
  new_value: value,
  old_value: '',
  type: 'standard',
});

/** Returns the change for an attached file. */
export const attachmentAddition = (file: { name: string }): ActivityChange =>
  addition('attachment', file.name);

/** Returns a change that removes something. */
export const removal = (field: string, value: string): ActivityChange => ({
  field,
  new_value: '',
  old_value: value,
  type: 'standard',
});

/** A resource by its id and name. */
export interface Named {
  id: number;
  name: string;
}

/** A user in activities, frozen with them. */
export type ActivityUser = Pick<UserDto, 'id' | 'userId' | 'name' | 'roleType' | 'lang' | 'mailAddress'>;

export const toActivityUser = ({ id, userId, name, roleType, lang, mailAddress }: UserDto): ActivityUser => ({
  id,
  userId,
  name,
  roleType,
  lang,
  mailAddress,
});

/** Placeholder for a missing named value. */
export interface NoValue {
  id: null;
  name: '';
}

export const NO_VALUE: NoValue = { id: null, name: '' };

/** A file in activities. */
export interface FileContent extends Named {
  size: number;
}

/** A shared file in activities. */
export interface SharedFileContent extends FileContent {
  /** The folder of the file, with a slash at both ends. */
  dir: string;
}

/** A comment in activities. */
export interface ActivityComment {
  id: number;
  content: string;
}

/** The fields of an issue that most of its activities start with. */
export interface IssueHead {
  id: number;
  key_id: number;
  summary: string;
  description: string;
}

/** One of the issues of an activity. */
export interface LinkedIssue {
  id: number;
  key_id: number;
  title: string;
  comment: null;
}

/** A git repository in activities. */
export interface RepositoryContent extends Named {
  description: string;
}
