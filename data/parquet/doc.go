// Package parquet reads and writes Parquet for programs that import it:
//
//	import _ "github.com/ehgnn/ehgnn/data/parquet"
//
// Package data/tablefile and what stands on it then read Parquet, and tables with the extension
// .parquet are written. The library at the root of the module imports it. It is a package of its
// own as its decoder and encoder are a large part of a program.
//
// A file is checked before it is decoded: its footer, the headers and checksums of its pages, and what they
// ask memory for.
package parquet
