package tablefile

import (
	"archive/zip"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// workbook is what the sheets of an xlsx file share.
type workbook struct {
	file   *file
	parts  map[string]*zip.File // by name in lower case
	sheets []sheet
	since  int          // day 0 of dates, in 1900 or 1904
	styles []formatKind // of numbers, by cell style
	texts  []string     // shared by cells
	kept   int64        // bytes of the fields above
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

// sheetShare is how many times larger than the kept data a sheet may be, which is read row by row.
const sheetShare = 4

// part opens a part of the workbook with a decompressed size of at most most bytes, because reading
// time grows with the size. The zip cannot contain more than it declares.
func (w *workbook) part(name string, most int64) (*xmlPart, error) {
	p := w.parts[strings.ToLower(name)]
	if p == nil {
		return nil, w.file.failed(fmt.Sprintf("part %s of the workbook is missing", name), fs.ErrNotExist)
	}
	size := int64(min(p.UncompressedSize64, math.MaxInt64))
	err := w.file.budget.Inflated(size, int64(min(p.CompressedSize64, math.MaxInt64)))
	if err == nil && size > most {
		err = w.file.budget.MoreThan(most, "its text has")
	}
	var r io.ReadCloser
	if err == nil {
		r, err = p.Open()
	}
	if err != nil {
		return nil, w.file.failed(fmt.Sprintf("part %s of the workbook cannot be read", name), err)
	}
	opened, ok := r.(fs.File) // knows the size of the part, which limits its text
	if !ok {
		return nil, w.file.failed(fmt.Sprintf("part %s of the workbook cannot be read", name), fs.ErrInvalid)
	}
	return newXMLPart(w.file, name, opened)
}

// elements calls f for the start of each element of a part that is kept, with the name of the
// surrounding element.
func (w *workbook) elements(name string, f func(p *xmlPart, t tag, parent string) error) error {
	p, err := w.part(name, w.file.budget.Share())
	if err != nil {
		return err
	}
	defer p.close()
	for {
		p.record()
		t, err := p.next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case t.end:
			continue
		}
		if err := f(p, t, p.parent()); err != nil {
			return err
		}
	}
}

// relation is a part that another part refers to.
type relation struct{ id, kind, target string }

// relations reads which parts a part refers to. Their names are relative to dir.
func (w *workbook) relations(name, dir string) ([]relation, error) {
	var out []relation
	if w.parts[strings.ToLower(name)] == nil {
		return nil, nil
	}
	err := w.elements(name, func(_ *xmlPart, t tag, _ string) error {
		if !t.starts("Relationship") {
			return nil
		}
		target := string(t.attribute("Target"))
		if strings.HasPrefix(target, "/") {
			target = target[1:]
		} else {
			target = path.Join(dir, target)
		}
		out = append(out, relation{string(t.attribute("Id")), string(t.attribute("Type")), target})
		return w.charge(len(target) + 256)
	})
	return out, err
}

// charge charges n bytes that are kept until the end.
func (w *workbook) charge(n int) error {
	const what = "what the cells of a workbook share has"
	w.kept += int64(n)
	err := w.file.budget.Charge(int64(n), what)
	if err == nil && w.kept > w.file.budget.Share() {
		err = w.file.budget.MoreThan(w.file.budget.Share(), what)
	}
	if err != nil {
		return w.file.failed("cannot be read", err)
	}
	return nil
}

// readSheets reads the list of sheets and the base day of dates.
func (w *workbook) readSheets(name string, related []relation) error {
	places := map[string]relation{}
	for _, r := range related {
		places[r.id] = r
	}
	err := w.elements(name, func(_ *xmlPart, t tag, _ string) error {
		switch string(t.name) {
		case "workbookPr":
			if v := string(t.attribute("date1904")); v == "1" || v == "true" {
				w.since = 1904
			}
		case "sheet":
			id := ""
			for _, a := range t.attributes {
				if string(a.name) == "id" && len(a.space) > 0 { // r:id
					id = string(a.value)
				}
			}
			if r := places[id]; strings.HasSuffix(r.kind, "/worksheet") { // not a chart
				state := string(t.attribute("state"))
				w.sheets = append(w.sheets, sheet{string(t.attribute("name")), r.target, state != "" && state != "visible"})
				return w.charge(len(t.attribute("name")) + 256)
			}
		}
		return nil
	})
	if err == nil && len(w.sheets) == 0 {
		err = w.file.failed("is a workbook without sheets of cells", nil)
	}
	return err
}

// choose returns the sheet with a name, or for "" the first visible one.
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
	names := lists.Map(w.sheets[:min(len(w.sheets), most)], func(s sheet) string { return strconv.Quote(s.name) })
	if n := len(w.sheets) - most; n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(names, ", ")
}

// readStyles reads the number formats of cell styles.
func (w *workbook) readStyles(name string) error {
	custom := map[string]formatKind{}
	return w.elements(name, func(_ *xmlPart, t tag, parent string) error {
		switch {
		case t.starts("numFmt") && parent == "numFmts":
			id := string(t.attribute("numFmtId"))
			custom[id] = formatOfCode(string(t.attribute("formatCode")))
			return w.charge(len(id) + 256)
		case t.starts("xf") && parent == "cellXfs":
			id := string(t.attribute("numFmtId"))
			kind, ok := custom[id]
			if !ok {
				n, _ := strconv.Atoi(id)
				kind = builtInFormat(n)
			}
			w.styles = append(w.styles, kind)
			return w.charge(4)
		}
		return nil
	})
}

// readStrings reads the texts that cells share.
func (w *workbook) readStrings(name string) error {
	var text []byte
	return w.elements(name, func(p *xmlPart, t tag, _ string) (err error) {
		if !t.starts("si") {
			return nil
		}
		if text, err = p.richText(text[:0]); err != nil {
			return err
		}
		const header = 40 // bytes of a string header, in the list and in its copies as it grows
		w.texts = append(w.texts, trim(unescape(string(text))))
		return w.charge(header + len(text))
	})
}

// richText is the text of an element in pieces, which just started, without phonetic marks.
func (p *xmlPart) richText(to []byte) ([]byte, error) {
	for {
		t, err := p.next()
		switch {
		case err != nil:
			return nil, err
		case t.end:
			return to, nil
		case t.starts("t"):
			to, err = p.chars(to)
		case t.starts("r"):
			to, err = p.richText(to)
		default:
			err = p.skip()
		}
		if err != nil {
			return nil, err
		}
	}
}

// unescape replaces escapes of characters that XML cannot have, such as _x000D_.
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
