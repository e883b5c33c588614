package tablefile

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/data"
)

// foreign is a known format that is not supported.
type foreign struct {
	magic string // first bytes
	at    int    // offset of magic
	what  string // completes "is", for example "is an ORC file"
	help  string // how to convert it; NAME is the file, BASE its name without the extension
}

// frame is a line of Python that converts what pandas reads.
func frame(call string) string {
	return `convert it: python -c "import pandas; pandas.` + call + `('NAME').to_csv('BASE.csv', index=False)"`
}

const (
	readRDS   = `convert it: Rscript -e 'write.csv(readRDS("NAME"), "BASE.csv", row.names = FALSE)'`
	readRData = `convert it: Rscript -e 'e <- new.env(); load("NAME", e); write.csv(e[[ls(e)[1]]], "BASE.csv", row.names = FALSE)'`
	readAvro  = `convert it: python -c "import fastavro, pandas; pandas.DataFrame(fastavro.reader(open('NAME', 'rb'))).to_csv('BASE.csv', index=False)"`
	readNumpy = `convert it: python -c "import numpy, pandas; pandas.DataFrame(numpy.load('NAME')).to_csv('BASE.csv', index=False)"`
)

// byDatabase says how databases write a table without lines around it.
const byDatabase = "write the table as text with separators, as psql --csv and mysql --batch do"

const (
	webTable = `save the file that it links to, or convert a table in it: python -c "import pandas; pandas.read_html('NAME')[0].to_csv('BASE.csv', index=False)"`
	readARFF = `convert it: python -c "import arff, pandas; d = arff.load(open('NAME')); pandas.DataFrame(d['data'], columns=[a[0] for a in d['attributes']]).to_csv('BASE.csv', index=False)" (pip install liac-arff)`
)

// bySQL says how SQL statements become a table.
const bySQL = "load them into a database and " + byDatabase

// markdown matches the start of a Markdown table.
var markdown = regexp.MustCompile(`^\|[^\n]*\|\s*\n\|[ :|-]+\|\s*\n`)

// foreigns are the known formats that are not supported.
var foreigns = []foreign{
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0, "an Excel 97 workbook (.xls) or one with a password", "save it as .xlsx without a password, or " + frame("read_excel")},
	{"FEA1", 0, "a Feather file of version 1", `convert it: python -c "import pandas; pandas.read_feather('NAME').to_parquet('BASE.parquet')"`},
	{"PARE", 0, "an encrypted Parquet file", "write it without encryption"},
	{"ORC", 0, "an ORC file", frame("read_orc")},
	{"Obj\x01", 0, "an Avro file", readAvro},
	{"SQLite format 3\x00", 0, "an SQLite database", `write the table as text: sqlite3 -header -csv NAME "SELECT * FROM TABLE" > BASE.csv`},
	{"\x89HDF\r\n\x1a\n", 0, "an HDF5 file", frame("read_hdf")},
	{"\x80\x02", 0, "a Python pickle", frame("read_pickle")},
	{"\x80\x03", 0, "a Python pickle", frame("read_pickle")},
	{"\x80\x04", 0, "a Python pickle", frame("read_pickle")},
	{"\x80\x05", 0, "a Python pickle", frame("read_pickle")},
	{"RDX2\n", 0, "a workspace of R (.RData)", readRData},
	{"RDX3\n", 0, "a workspace of R (.RData)", readRData},
	{"X\n\x00\x00\x00\x02", 0, "an object of R (.rds)", readRDS},
	{"X\n\x00\x00\x00\x03", 0, "an object of R (.rds)", readRDS},
	{"<stata_dta>", 0, "a Stata file (.dta)", frame("read_stata")},
	{"\x71\x01\x01\x00", 0, "a Stata file (.dta)", frame("read_stata")},
	{"\x71\x02\x01\x00", 0, "a Stata file (.dta)", frame("read_stata")},
	{"\x72\x01\x01\x00", 0, "a Stata file (.dta)", frame("read_stata")},
	{"\x72\x02\x01\x00", 0, "a Stata file (.dta)", frame("read_stata")},
	{"\x73\x01\x01\x00", 0, "a Stata file (.dta)", frame("read_stata")},
	{"\x73\x02\x01\x00", 0, "a Stata file (.dta)", frame("read_stata")},
	{"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00\x09\xc7\x31\x8c\x18\x1f\x10\x11", 12, "a SAS file (.sas7bdat)", frame("read_sas")},
	{"HEADER RECORD*******LIB", 0, "a SAS transport file (.xpt)", frame("read_sas")},
	{"$FL2", 0, "an SPSS file (.sav)", frame("read_spss")},
	{"$FL3", 0, "an SPSS file (.zsav)", frame("read_spss")},
	{"\x93NUMPY", 0, "a NumPy array (.npy)", readNumpy},
	{"1AY&SY", 4, "packed by bzip2", "unpack it: bunzip2 NAME"},
	{"\xfd7zXZ\x00", 0, "packed by xz", "unpack it: unxz NAME"},
	{"\x04\x22\x4d\x18", 0, "packed by lz4", "unpack it: unlz4 NAME"},
	{"\x1f\x9d", 0, "packed by compress", "unpack it: uncompress NAME"},
	{"7z\xbc\xaf\x27\x1c", 0, "a 7-Zip archive", "unpack it: 7z x NAME"},
	{"Rar!\x1a\x07", 0, "a RAR archive", "unpack it: unrar x NAME"},
	{"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", 30, "an OpenDocument spreadsheet (.ods)", "save it as .xlsx, or " + frame("read_excel")},
	{"%PDF-", 0, "a PDF document", "save the table as .csv or .xlsx"},
}

// texts are texts that are not tables, by their start.
var texts = []foreign{
	{`{"`, 0, "JSON", `a table of objects is converted by: python -c "import pandas; pandas.read_json('NAME', lines=True).to_csv('BASE.csv', index=False)"`},
	{"[{", 0, "JSON", "a table of objects is converted by: " + strings.TrimPrefix(frame("read_json"), "convert it: ")},
	{"<table", 0, "a web page (HTML)", webTable},
	{"<!doctype html", 0, "a web page (HTML)", webTable},
	{"<html", 0, "a web page (HTML)", webTable},
	{"<?xml", 0, "XML", frame("read_xml")},
	{"@relation", 0, "an ARFF file of Weka", readARFF},
	{"+--", 0, "a table with drawn lines", byDatabase},
	{"insert into ", 0, "statements of SQL", bySQL},
	{"create table ", 0, "statements of SQL", bySQL},
	{"pragma foreign_keys", 0, "statements of SQL", bySQL},
	{"-- mysql dump", 0, "statements of SQL", bySQL},
	{"--\n-- postgresql database dump", 0, "statements of SQL", bySQL},
	{"version https://git-lfs", 0, "a pointer of Git LFS", "fetch the file: git lfs pull"},
}

// knownFormat returns the unsupported format of a file, by its first bytes, or nil.
func knownFormat(head []byte) *foreign {
	for i, f := range foreigns {
		if len(head) >= f.at && hasMagic(head[f.at:], f.magic) {
			return &foreigns[i]
		}
	}
	return nil
}

// hasMagic reports whether a file starts with some bytes and is not a text: a header may start with
// PARENT or ORCID.
func hasMagic(head []byte, magic string) bool {
	rest, ok := bytes.CutPrefix(head, []byte(magic))
	const sure = 8 // no text starts with so long a mark
	if !ok || len(magic) >= sure || len(rest) == 0 || rest[0] >= utf8.RuneSelf {
		return ok
	}
	control := func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' }
	return bytes.ContainsFunc(head, control)
}

// refused is the error of a file in a known format that is not supported.
func refused(name string, head []byte) error {
	if f := knownFormat(head); f != nil {
		return f.refuse(name)
	}
	return nil
}

// refusedText is the error of a text that is not a table.
func refusedText(name string, head []byte) error {
	head = bytes.ToLower(bytes.TrimSpace(head))
	for _, f := range texts {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return f.refuse(name)
		}
	}
	if markdown.Match(head) {
		return (&foreign{what: "a table in Markdown", help: byDatabase}).refuse(name)
	}
	return nil
}

// isForeignText reports whether a text is in no format that another package reads: it is not JSON.
func isForeignText(head []byte) bool {
	head = bytes.TrimSpace(head)
	return len(head) > 0 && head[0] != '{' && head[0] != '[' && refusedText("", head) != nil
}

func (f *foreign) refuse(name string) error {
	file := path.Base(name)
	base := strings.TrimSuffix(file, path.Ext(file))
	help := strings.NewReplacer("NAME", file, "BASE", base).Replace(f.help)
	return &data.ParseError{File: name, Msg: fmt.Sprintf("is %s, which is not read as a table; %s", f.what, help)}
}
