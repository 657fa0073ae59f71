/** What a masking rule is about, from database to column, and what it does: the service's own field names. */
export const place = ['database_name', 'schema_name', 'table_name', 'column_name'] as const;
export const effect = ['masking_function', 'masking_value'] as const;
