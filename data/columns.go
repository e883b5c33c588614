package data

// readInts reads a file with rows lines of integers. Each line has columns integers; 0 means as
// many as the first line. one and per name the value and the meaning of a line in errors.
func readInts(f *folder, file, one, per string, rows, columns int) ([]int32, int, error) {
	var values []int32
	columns, err := readRows(f, file, one, per, rows, columns, func(l *lines, c *cursor) bool {
		v, ok := l.whole(c, one, "an integer")
		values = append(values, v)
		return ok
	})
	return values, columns, err
}

// readFloats is readInts for finite numbers. If missing is set, "nan" and empty fields are allowed
// and become NaN.
func readFloats(f *folder, file, one, per string, rows int, missing bool) ([]float32, int, error) {
	var values []float32
	columns, err := readRows(f, file, one, per, rows, 0, func(l *lines, c *cursor) bool {
		v, ok := l.float(c, one, missing)
		values = append(values, v)
		return ok
	})
	return values, columns, err
}

// readRows reads the rows of readInts and readFloats. take reads one field.
func readRows(f *folder, file, one, per string, rows, columns int, take func(*lines, *cursor) bool) (int, error) {
	l, err := f.open(file)
	if err != nil {
		return 0, err
	}
	var c cursor // one for all lines, because take moves it to the heap
	for row := 0; ; row++ {
		b, ok := l.next()
		if !ok {
			if row < rows {
				l.short("expected %d lines, one per %s", rows, per)
			}
			break
		}
		if row == rows {
			l.failf("more lines than the %d expected, one per %s", rows, per)
			break
		}
		c = cursor{b: b}
		count := 0
		for ok = true; ok && (count == 0 || c.more()); count++ {
			ok = take(l, &c)
		}
		if !ok {
			break
		}
		if row == 0 {
			if !l.charge(count*columnBytes, "columns of "+one+"s") {
				break
			}
		}
		if columns == 0 {
			columns = count
		}
		if count != columns {
			l.failf("number of %ss is %d, expected %d on each line", one, count, columns)
			break
		}
		if !l.charge(8*count, one+"s") { // as read, and in the graphs
			break
		}
	}
	return max(columns, 1), l.close()
}

// readText reads a file with one text per line.
func readText(f *folder, file string, rows int) ([]string, error) {
	l, err := f.open(file)
	if err != nil {
		return nil, err
	}
	var text []string
	for {
		b, ok := l.next()
		if !ok {
			if len(text) < rows {
				l.short("expected %d lines, one per graph", rows)
			}
			break
		}
		if len(text) == rows {
			l.failf("more lines than the %d expected, one per graph", rows)
			break
		}
		if !l.charge(len(b)+32, "texts") {
			break
		}
		text = append(text, string(b))
	}
	return text, l.close()
}
