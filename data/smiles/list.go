package smiles

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
)

// list is a cell with a value for each atom or bond of a molecule, [0.1, null, -0.2], or with two
// for each bond, from its first atom to its second and back, [[0.4, -0.4], null].
type list struct {
	shape
	values []string // "" if missing; the two values of a pair are consecutive
}

// shape is the number of atoms or bonds in a list, and whether it has pairs of values.
type shape struct {
	items int
	pairs bool
}

// parseList reads a list in the notation of JSON or Python: quotes may be single, and None, NaN and
// an empty element are missing, like null. Words need quotes, so that an atom of a SMILES, [Na], is
// not a list.
func parseList(text string) (list, error) {
	p := listParser{text: text}
	l, err := p.list()
	if err != nil {
		return list{}, fmt.Errorf("is %s, expected a list such as [1.5, null, 3]: %w", shown(text), err)
	}
	return l, nil
}

// shown quotes the beginning of a text.
func shown(text string) string { return fmt.Sprintf("%.40q", text) }

type listParser struct {
	text string
	at   int
}

// next returns the character after blanks, 0 at the end.
func (p *listParser) next() byte {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *listParser) list() (list, error) {
	var l list
	var values []string // of single values
	var singles int
	err := p.each(func() error {
		if p.next() != '[' {
			v, err := p.value()
			if values = append(values, v); v == "" {

				l.values = append(l.values, "", "") // two, in case the others are pairs
			} else {
				singles++
			}
			return err
		}
		n := len(l.values)
		l.pairs = true
		err := p.each(func() error {
			v, err := p.value()
			l.values = append(l.values, v)
			return err
		})
		if n = len(l.values) - n; n != 2 && err == nil {
			err = fmt.Errorf("%d values for one bond, expected two", n)
		}
		return err
	})
	switch {
	case err != nil:
		return l, err
	case p.next() != 0:
		return l, fmt.Errorf("%s behind its end", shown(p.text[p.at:]))
	case l.pairs && singles > 0:
		return l, errors.New("single values among pairs")
	case l.pairs:
		l.items = len(l.values) / 2
	default:
		l.values, l.items = values, len(values)
	}
	return l, nil
}

// each calls f for each element between brackets.
func (p *listParser) each(f func() error) error {
	if p.next() != '[' {
		return errors.New("it does not begin with [")
	}
	p.at++
	if p.next() == ']' {
		p.at++
		return nil
	}
	for {
		if err := f(); err != nil {
			return err
		}
		c := p.next()
		if p.at++; c == ']' {
			return nil
		}
		if c != ',' {
			return errors.New("it does not end with ]")
		}
	}
}

// value returns a number, a quoted text, or "" for a missing value.
func (p *listParser) value() (string, error) {
	if q := p.next(); q == '"' || q == '\'' {
		return p.quoted(q)
	}
	from := p.at
	for p.at < len(p.text) && strings.IndexByte(",[] \t\r\n", p.text[p.at]) < 0 {
		p.at++
	}
	word := p.text[from:p.at]
	switch word {
	case "", "null", "None", "nan", "NaN", "NA": // but not Na, an atom
		return "", nil
	case "true", "True":
		return "1", nil
	case "false", "False":
		return "0", nil
	}
	if _, err := strconv.ParseFloat(word, 64); err != nil {
		return "", fmt.Errorf("%s is no number, and words need quotes", shown(word))
	}
	return word, nil
}

// quoted returns the text between quotes. The character after a backslash is read as it is.
func (p *listParser) quoted(quote byte) (string, error) {
	var b strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == quote:
			p.at++
			if text := strings.TrimSpace(b.String()); !schema.IsMissing(text) {
				return text, nil
			}
			return "", nil
		case c == '\\' && p.at+1 < len(p.text):
			p.at++
			b.WriteByte(p.text[p.at])
		default:
			b.WriteByte(c)
		}
	}
	return "", errors.New("a quote is not closed")
}
