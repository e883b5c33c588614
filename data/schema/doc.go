// Package schema converts cells to values and rows to features. Training, predictions from files
// and standard input, the server, the library and ehgnn-scale all use it. So a row gets the same
// features, to the bit, from each of them.
//
// # From a cell to a value
//
//	Cell                 one value as its file has it: text, or a number, a boolean, a time
//	Builder -> Column    all cells of a column; decides what the column holds and its Notation
//	Field                a column as a trained model knows it; reads new cells by that Notation
//
// The notation is decided for a whole column, from all of its cells: 1.234 is more than a thousand
// if another cell is 1.234.567,89. If a column can be read in two ways, the error names the option
// that decides. Cells of Parquet, JSON and other typed formats need no notation.
//
// # The grammar
//
//	missing    nothing, and the words that pandas, spreadsheets and databases write (IsMissing)
//	number     decimal point or comma, thousands in either style, a currency sign, a percent sign
//	           (a hundredth); never underscores, hexadecimal or words for infinity
//	boolean    true, yes, y, t, on and false, no, n, f, off, in any case; 1 and 0 beside such words
//	category   text; 5, 5.0 and "5" are one, 05 is another
//	time       ISO 8601 and its relatives, day or month first, RFC 1123, compact, since 1970
//	id         exact text; where all are whole numbers, 27.0 is 27; a rounded number is none
//
// A whole number with a leading zero is a code, so its column holds categories.
package schema
