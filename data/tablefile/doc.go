// Package tablefile opens one table, whatever the format of its file, and reads it as rows of
// typed cells. Package schema says what a cell means; this package knows files alone.
//
// # Formats
//
// The first bytes of a file decide its format, not its name:
//
//	separated text   comma, semicolon, tab or bar; a line of column names first
//	Parquet          by the logical type of each column, in programs that import data/parquet
//	Arrow, Feather   IPC files and streams
//	xlsx             the first sheet, or the one that is named
//	JSON             objects of plain values: one a line (JSON Lines), or in a list
//
// Text may be compressed by gzip or zstd and encoded as UTF-8, UTF-16 or Windows-1252 (Latin-1).
// A folder of parts, as Spark and Hive write it, is one table; a folder named COLUMN=VALUE adds a
// column. A format that is known and not read is refused by its name, with what converts it.
//
// # What is not there
//
// Columns without a name and without a value, as spreadsheets and data frames leave them, are left
// out with a note; so are rows without any value. Of two columns with one name the second gets
// ".1" behind it, as pandas does.
//
// Errors are *data.ParseError with the file, the line and the column. What reading takes is bounded
// by a data.Budget.
package tablefile
