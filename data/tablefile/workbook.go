package tablefile

import (
	"archive/zip"
	"encoding/xml"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
)

// workbook is what the sheets of an xlsx file have in common.
type workbook struct {
	file   *file
	parts  map[string]*zip.File // by name in lower case
	sheets []sheet
	since  int          // the day 0 of dates is in 1900 or 1904
	styles []formatKind // of numbers, by the style of a cell
	texts  sharedTexts
}

type sheet struct {
	name, path string
	hidden     bool
}

// openWorkbook reads the list of sheets, the styles and the shared texts.
func (f *file) openWorkbook(z *zip.Reader) (*workbook, error) {
	w := &workbook{file: f, parts: make(map[string]*zip.File, len(z.File)), since: 1900}
	for _, p := range z.File {
		w.parts[strings.ToLower(strings.TrimPrefix(p.Name, "/"))] = p
	}
	root, err := w.relations("_rels/.rels", "")
	if err != nil {
		return nil, err
	}
	at := "xl/workbook.xml"
	for _, r := range root {
		if strings.HasSuffix(r.kind, "/officeDocument") {
			at = r.target
		}
	}
	if w.parts[strings.ToLower(at)] == nil || path.Ext(at) != ".xml" || !strings.HasPrefix(strings.ToLower(at), "xl/") {
		return nil, refusedZip(f.name, z)
	}
	dir, base := path.Split(at)
	related, err := w.relations(dir+"_rels/"+base+".rels", dir)
	if err != nil {
		return nil, err
	}
	if err := w.readSheets(at, related); err != nil {
		return nil, err
	}
	for _, r := range related {
		switch {
		case strings.HasSuffix(r.kind, "/styles"):
			err = w.readStyles(r.target)
		case strings.HasSuffix(r.kind, "/sharedStrings"):
			err = w.readStrings(r.target)
		}
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

// part opens a part of the workbook.
func (w *workbook) part(name string) (*xmlPart, error) {
	p := w.parts[strings.ToLower(name)]
	if p == nil {
		return nil, w.file.failed(fmt.Sprintf("part %s of the workbook is missing", name), fs.ErrNotExist)
	}
	err := w.file.budget.Inflated(int64(min(p.UncompressedSize64, math.MaxInt64)), int64(min(p.CompressedSize64, math.MaxInt64)))
	var r io.ReadCloser
	if err == nil {
		r, err = p.Open()
	}
	if err != nil {
		return nil, w.file.failed(fmt.Sprintf("part %s of the workbook cannot be read", name), err)
	}
	opened, ok := r.(fs.File) // with the size of the part, which bounds its text
	if !ok {
		return nil, w.file.failed(fmt.Sprintf("part %s of the workbook cannot be read", name), fs.ErrInvalid)
	}
	return newXMLPart(w.file, name, opened)
}

// elements calls f for the start of each element of a part, with the name of the one around it.
func (w *workbook) elements(name string, f func(e *xml.StartElement, parent string) error) error {
	p, err := w.part(name)
	if err != nil {
		return err
	}
	defer p.close()
	var open []string
	for {
		p.text.Record(0)
		start, end, err := p.next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case start == nil:
			if len(open) == 0 || open[len(open)-1] != end {
				return p.failed("is no valid XML: its elements do not match", nil)
			}
			open = open[:len(open)-1]
			continue
		}
		parent := ""
		if len(open) > 0 {
			parent = open[len(open)-1]
		}
		if err := f(start, parent); err != nil {
			return err
		}
		open = append(open, start.Name.Local)
	}
}

// relation is a part that another one refers to.
type relation struct{ id, kind, target string }

// relations reads which parts a part refers to. Their names are relative to dir.
func (w *workbook) relations(name, dir string) ([]relation, error) {
	var out []relation
	if w.parts[strings.ToLower(name)] == nil {
		return nil, nil
	}
	err := w.elements(name, func(e *xml.StartElement, _ string) error {
		if e.Name.Local != "Relationship" {
			return nil
		}
		target := attribute(e, "Target")
		if strings.HasPrefix(target, "/") {
			target = target[1:]
		} else {
			target = path.Join(dir, target)
		}
		out = append(out, relation{attribute(e, "Id"), attribute(e, "Type"), target})
		return w.charge(len(target)+256, "parts of a workbook")
	})
	return out, err
}

func (w *workbook) charge(n int, what string) error {
	if err := w.file.budget.Charge(int64(n), what); err != nil {
		return w.file.failed("cannot be read", err)
	}
	return nil
}

// readSheets reads the list of sheets and the day from which dates count.
func (w *workbook) readSheets(name string, related []relation) error {
	places := map[string]relation{}
	for _, r := range related {
		places[r.id] = r
	}
	err := w.elements(name, func(e *xml.StartElement, _ string) error {
		switch e.Name.Local {
		case "workbookPr":
			if v := attribute(e, "date1904"); v == "1" || v == "true" {
				w.since = 1904
			}
		case "sheet":
			id := ""
			for _, a := range e.Attr {
				if a.Name.Local == "id" && a.Name.Space != "" { // r:id
					id = a.Value
				}
			}
			if r := places[id]; strings.HasSuffix(r.kind, "/worksheet") { // and no chart
				w.sheets = append(w.sheets, sheet{attribute(e, "name"), r.target, attribute(e, "state") != "" && attribute(e, "state") != "visible"})
				return w.charge(256, "parts of a workbook")
			}
		}
		return nil
	})
	if err == nil && len(w.sheets) == 0 {
		err = w.file.failed("is a workbook without sheets of cells", nil)
	}
	return err
}

// choose is the sheet of a name, or for "" the first one that is not hidden.
func (w *workbook) choose(name string) (sheet, error) {
	if name == "" {
		i := max(slices.IndexFunc(w.sheets, func(s sheet) bool { return !s.hidden }), 0)
		return w.sheets[i], nil
	}
	for _, s := range w.sheets {
		if schema.FoldName(s.name) == schema.FoldName(name) {
			return s, nil
		}
	}
	return sheet{}, w.file.failed(fmt.Sprintf("the workbook has no sheet %q, expected one of %s", name, w.sheetNames()), nil)
}

func (w *workbook) sheetNames() string {
	const most = 10
	var names []string
	for _, s := range w.sheets[:min(len(w.sheets), most)] {
		names = append(names, strconv.Quote(s.name))
	}
	if n := len(w.sheets) - most; n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(names, ", ")
}

// readStyles reads how the styles of cells write numbers.
func (w *workbook) readStyles(name string) error {
	custom := map[string]formatKind{}
	return w.elements(name, func(e *xml.StartElement, parent string) error {
		switch {
		case e.Name.Local == "numFmt" && parent == "numFmts":
			custom[attribute(e, "numFmtId")] = formatOfCode(attribute(e, "formatCode"))
			return w.charge(256, "styles of a workbook")
		case e.Name.Local == "xf" && parent == "cellXfs":
			id := attribute(e, "numFmtId")
			kind, ok := custom[id]
			if !ok {
				n, _ := strconv.Atoi(id)
				kind = builtInFormat(n)
			}
			w.styles = append(w.styles, kind)
			return w.charge(16, "styles of a workbook")
		}
		return nil
	})
}

// sharedTexts are the texts that cells share, one behind the other.
type sharedTexts struct {
	bytes []byte
	ends  []int
}

func (s *sharedTexts) add(text string) {
	s.bytes = append(s.bytes, text...)
	s.ends = append(s.ends, len(s.bytes))
}

// at is a text by its number.
func (s *sharedTexts) at(i int) string {
	start := 0
	if i > 0 {
		start = s.ends[i-1]
	}
	return string(s.bytes[start:s.ends[i]])
}

// readStrings reads the texts that cells share.
func (w *workbook) readStrings(name string) error {
	p, err := w.part(name)
	if err != nil {
		return err
	}
	defer p.close()
	var text []byte
	for {
		p.text.Record(0)
		start, _, err := p.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if start == nil || start.Name.Local != "si" {
			continue
		}
		if text, err = p.richText(text[:0]); err != nil {
			return err
		}
		if err := w.charge(2*(len(text)+8), "texts of a workbook"); err != nil { // slices grow to twice as much
			return err
		}
		w.texts.add(trim(unescape(string(text))))
	}
}

// richText is the text of an element in pieces, which just started, without the marks of how it is
// pronounced.
func (p *xmlPart) richText(to []byte) ([]byte, error) {
	for {
		start, _, err := p.next()
		switch {
		case err != nil:
			return nil, noEnd(err)
		case start == nil:
			return to, nil
		case start.Name.Local == "t":
			to, err = p.chars(to)
		case start.Name.Local == "r":
			to, err = p.richText(to)
		default:
			err = p.skip()
		}
		if err != nil {
			return nil, err
		}
	}
}

// unescape replaces characters that XML cannot have, written as _x000D_.
func unescape(s string) string {
	var out strings.Builder
	for {
		i := strings.Index(s, "_x")
		if i < 0 {
			break
		}
		code, err := uint64(0), strconv.ErrSyntax
		if len(s) >= i+7 && s[i+6] == '_' {
			code, err = strconv.ParseUint(s[i+2:i+6], 16, 16)
		}
		if err != nil {
			out.WriteString(s[:i+2])
			s = s[i+2:]
			continue
		}
		out.WriteString(s[:i])
		out.WriteRune(rune(code))
		s = s[i+7:]
	}
	if out.Len() == 0 {
		return s
	}
	return out.String() + s
}
