/** The page on which users choose their letters. */
export const MAIL_SETTINGS_PATH = '/account/notifications';
