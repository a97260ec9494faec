import { type JSX } from 'hono/jsx/jsx-runtime';
import { TEXTS as ACCOUNT_TEXTS } from '../account/texts';
import { type UserDto } from '../users/dto/user.dto';
import { Facts, ViewFrame } from './parts';
import { TEXTS } from './texts';
import { type View } from './view';

interface UserPageProps {
  view: View;
  user: UserDto;
  showsMailAddress: boolean;
}

export const UserPage = ({ view, user, showsMailAddress }: UserPageProps): JSX.Element => {
  const texts = TEXTS[view.language];
  return (
    <ViewFrame {...view} title={user.name}>
      <Facts
        facts={[
          [texts.loginName, user.userId],
          [texts.role, ACCOUNT_TEXTS[view.language].roles[user.roleType]],
          [texts.mailAddress, showsMailAddress && user.mailAddress],
        ]}
      />
    </ViewFrame>
  );
};
