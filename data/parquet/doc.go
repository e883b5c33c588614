// Package parquet reads and writes Parquet for programs that import it:
//
//	import _ "github.com/ehgnn/ehgnn/data/parquet"
//
// Then package data/tablefile and its users can read Parquet, and tables with the extension .parquet can be
// written. The library at the root of the module imports it. It is a separate package because its decoder
// and encoder make a program much larger.
//
// A file is checked before it is decoded: its footer, the headers and checksums of its pages, and the sizes
// for which memory is allocated.
package parquet
