/** Why a browser goes to an identity provider. */
export enum AttemptPurpose {
  SignIn = 1,
  /** To prove again who the user of the session is. */
  Confirm = 2,
  /** To connect an identity with the user of the session. */
  Connect = 3,
  /** To become a user with an invitation. */
  Join = 4,
}
