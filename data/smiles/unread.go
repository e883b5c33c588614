package smiles

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
)

// unreadForms are other forms of molecules in tables: the names of their columns, in lower case and
// without _ - and blanks, tests of their texts, and a message that says what to do.
var unreadForms = []struct {
	names []string
	is    func(text string) bool // test of a column with such a name; nil accepts any text
	alone func(text string) bool // test of a column with any name; nil accepts no text
	text  string                 // %[1]q is replaced by the name of the column
}{
	{[]string{"reactionsmiles", "rxnsmiles", "rxn", "reaction", "reactions"}, isReaction, looksLikeReaction,
		"column %[1]q holds reactions, which are not read; --smiles COLUMN names a column of molecules"},
	{[]string{"inchi", "stdinchi", "standardinchi"}, isInChI, isInChI,
		"column %[1]q holds InChI, which is not read; in Python, with from rdkit import Chem, df[\"smiles\"] = [Chem.MolToSmiles(Chem.MolFromInchi(x)) for x in df[%[1]q]] converts it"},
	{[]string{"selfies"}, nil, nil,
		"column %[1]q holds SELFIES, which are not read; in Python, with import selfies, df[\"smiles\"] = [selfies.decoder(x) for x in df[%[1]q]] converts them"},
}

// unreadFiles are names of molecule file formats that are not read, by ending.
var unreadFiles = map[string]string{".mol2": "a Tripos MOL2 file", ".pdb": "a PDB file", ".cml": "a file of Chemical Markup Language",
	".cdxml": "a ChemDraw file", ".rxn": "a file of a reaction", ".rdf": "a file of reactions"}

func isInChI(text string) bool { return strings.HasPrefix(text, "InChI=") }

// isReaction reports whether a text is a SMILES of a reaction, such as CO>>CC or CO>[Pd]>CC.
func isReaction(text string) bool {
	smiles, _, _ := chem.Cut(text)
	return !strings.ContainsAny(smiles, "<\n") && strings.Count(smiles, ">")-strings.Count(smiles, "->") == 2
}

// looksLikeReaction is isReaction for a text in a column with any name.
func looksLikeReaction(text string) bool {
	return strings.Contains(text, ">>") && isReaction(text) && strings.Trim(text, smilesCharacters) == ""
}

// smilesCharacters are the characters in SMILES of reactions.
const smilesCharacters = "ABCDEFGHIKLMNOPRSTUVWXYZabcdefghiklmnoprstuy0123456789@+-[]()=#$:%./\\*~>"

// refuse returns an error, before a file is opened, if it cannot be read.
func refuse(path string, o Options) error {
	if kind, ok := unreadFile(path); ok {
		return fmt.Errorf("smiles: %s is %s, which is not read; an SD file or a table of SMILES is, and obabel IN -O OUT.sdf converts most", filepath.Base(path), kind)
	}
	if o.Toolkit != nil {
		return nil
	}
	if o.Column == "" {
		if err := unread(path); err != nil {
			return err
		}
	}
	switch file := filepath.Base(path); {
	case endsWith(path, blockEndings):
		return fmt.Errorf("smiles: %s is an SD file: %w", file, chem.ErrNoToolkit)
	case endsWith(path, lineEndings):
		return fmt.Errorf("smiles: %s is a file of SMILES: %w", file, chem.ErrNoToolkit)
	}
	return chem.ErrNoToolkit
}

func unreadFile(path string) (kind string, ok bool) {
	for ending, kind := range unreadFiles {
		if endsWith(path, []string{ending}) {
			return kind, true
		}
	}
	return "", false
}

// unread returns an error for a table without a column of SMILES that has molecules or reactions in
// another form. It returns nil if it has none.
func unread(path string) error {
	columns, first := look(path)
	if find(columns, columnNames...) >= 0 {
		return nil
	}
	if text := unreadColumn(columns, first); text != "" {
		return &data.ParseError{File: filepath.Base(path), Line: 1, Msg: text}
	}
	return nil
}

// unreadColumn returns the message of unread for columns and their first values, which may be nil.
func unreadColumn(columns, first []string) string {
	for _, form := range unreadForms {
		for c, column := range columns {
			name := strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(column))
			if form.alone != nil && c < len(first) && form.alone(first[c]) {
				return fmt.Sprintf(form.text, column)
			}
			for _, n := range form.names {
				if n == name && (form.is == nil || c >= len(first) || form.is(first[c])) {
					return fmt.Sprintf(form.text, column)
				}
			}
		}
	}
	return ""
}

// look returns the line of names and the first row of the table at a path, or nil if it is not a
// table.
func look(path string) (columns, first []string) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || !tables.IsTable(path) {
		return nil, nil // a pipe can be read only once
	}
	r, err := tables.OpenRows(path, data.NewBudget(0))
	if err != nil {
		return nil, nil
	}
	defer r.Close()
	row, err := r.Next()
	if err != nil && !errors.Is(err, io.EOF) {
		row = nil
	}
	for _, text := range row {
		first = append(first, strings.TrimSpace(text))
	}
	return r.Columns(), first
}
