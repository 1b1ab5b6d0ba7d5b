"""The titles of columns in rosters and in platforms' sheets, in the languages of their largest sites.

Titles are compared by ``title_key``: without case, accents and punctuation.
"""

import unicodedata
from collections.abc import Mapping, Sequence


def title_key(title: str) -> str:
    """Return the form in which column titles are compared: letters and digits, without case and accents."""
    letters = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", title).casefold())
    return "".join(letter for letter in letters if letter.isalnum())


#: The columns of a roster, each with other names for it. A title of ``part_of_name`` is the whole name, or the part that has no
#: column of its own: "Nome" beside "Cognome", and "Name" beside "Vorname". Only ``group`` and ``team`` say who hands in together:
#: in most universities' lists a "Gruppe" or "Группа" is a class of twenty.
_TITLES = {
    "id": (
        "id", "student id", "sid", "id number", "sis user id", "orgdefinedid", "org defined id", "username", "student number",
        "student no", "matriculation number", "matriculation no", "matric number", "matric no", "registration number",
        "registration no", "enrolment number", "enrollment number", "roll number", "roll no", "university id",
        "roster_identifier",
        "Matrikelnummer", "Matrikelnr", "Matrikel-Nr.", "Matr.-Nr.", "Matrikel", "Matrnr", "mtknr", "ID-Nummer",
        "Personenkennzahl",
        "N° étudiant", "No étudiant", "Numéro étudiant", "Numéro d'étudiant", "Code étudiant", "Matricule",
        "Numéro d'identification",
        "Matrícula", "Número de matrícula", "Nº de matrícula", "N° de matrícula", "Nº matrícula", "Número de ID",
        "Número de identificación", "Expediente", "Legajo",
        "Matricola", "Numero di matricola", "N. matricola", "Codice identificativo",
        "Nº de aluno", "Número de aluno", "Número de identificação",
        "Studentnummer", "Studentnr", "Studienummer", "ID-nummer",
        "Nr albumu", "Numer albumu", "Nr indeksu", "Numer indeksu", "Numer ID",
        "UČO", "Osobní číslo", "Osobné číslo", "Identifikační číslo",
        "Opiskelijanumero", "Neptun kód", "Neptun-kód", "Öğrenci No", "Öğrenci numarası", "Număr matricol",
        "№ зачётки", "Номер зачётки", "Зачётка", "Номер зачётной книжки", "Студенческий билет", "Номер студенческого билета",
        "Индивидуальный номер", "Номер залікової книжки", "Номер заліковки", "Студентський квиток",
        "学号", "學號", "学籍番号", "学生番号", "학번", "MSSV", "Mã sinh viên", "NIM",
        "الرقم الجامعي", "رقم الطالب", "מספר סטודנט", "תעודת זהות", "Αριθμός Μητρώου", "ΑΜ",
    ),
    "last_name": (
        "last name", "surname", "family name", "Nachname", "Familienname", "Zuname", "Nom de famille", "Apellidos", "Apellido",
        "Apellido(s)", "Cognome", "Cognom", "Cognoms", "Sobrenome", "Apelido", "Apelidos", "Achternaam", "Nazwisko", "Příjmení",
        "Priezvisko", "Priimek", "Prezime", "Efternamn", "Efternavn", "Etternavn", "Sukunimi", "Vezetéknév", "Soyadı", "Soyad",
        "Фамилия", "Прізвище", "Фамилно име", "Nume de familie", "姓", "姓氏", "성", "Họ", "Họ và tên đệm", "اسم العائلة",
        "שם משפחה", "Επώνυμο",
    ),
    "first_name": (
        "first name", "given name", "forename", "Vorname", "Rufname", "Prénom", "Voornaam", "Imię", "Křestní jméno", "Förnamn",
        "Fornavn", "Etunimi", "Keresztnév", "Utónév", "Prenume", "名", "名字", "الاسم الأول", "שם פרטי", "Όνομα",
    ),
    "part_of_name": (
        "name", "full name", "student", "student name", "Vollständiger Name", "Nom", "Nom complet", "Nombre", "Nombre(s)",
        "Nombre completo", "Apellidos y nombre", "Nome", "Nome completo", "Cognome e nome", "Cognome Nome", "Naam",
        "Volledige naam", "Imię i nazwisko", "Nazwisko i imię", "Pełna nazwa", "Jméno", "Jméno a příjmení", "Celé jméno", "Meno",
        "Meno a priezvisko", "Ime", "Ime in priimek", "Namn", "Navn", "Fullständigt namn", "Fulde navn", "Fullt navn", "Nimi",
        "Koko nimi", "Teljes név", "Név", "Ad", "Adı", "Ad Soyad", "Adı Soyadı", "Tam adı", "Nume", "Nume complet",
        "Имя", "Полное имя", "ФИО", "Ф.И.О.", "Фамилия, имя", "Ім'я", "Повне ім'я", "ПІБ", "Име", "Пълно име",
        "姓名", "全名", "氏名", "名前", "フルネーム", "이름", "성명", "Họ tên", "Họ và tên", "Tên", "Nama",
        "الاسم", "الاسم الكامل", "שם", "שם מלא", "Ονοματεπώνυμο",
    ),
    "email": (
        "email", "email address", "mail", "E-Mail-Adresse", "Courriel", "Adresse de courriel", "Adresse e-mail", "Adresse mail",
        "Correo", "Correo electrónico", "Dirección de correo", "Dirección de correo electrónico", "Adreça electrònica",
        "Indirizzo email", "Posta elettronica", "Endereço de email", "E-mailadres", "Adres e-mail", "Adres email",
        "E-mailová adresa", "E-post", "E-postadress", "E-mailadresse", "Sähköposti", "Sähköpostiosoite", "E-mail cím",
        "E-posta", "E-posta adresi", "Adresă de email", "Эл. почта", "Электронная почта", "Почта", "Адрес электронной почты",
        "Ел. пошта", "Електронна пошта", "邮箱", "电子邮箱", "电子邮件", "电子邮件地址", "電子郵件", "電子信箱", "メール",
        "メールアドレス", "이메일", "이메일 주소", "البريد الإلكتروني", "عنوان البريد الإلكتروني", "Διεύθυνση email",
    ),
    "login": (
        "login", "login id", "sis login id", "user", "user name", "netid", "github_username", "Benutzername", "Anmeldename",
        "Nutzername", "Nutzernamen", "Nutzerkennung", "RZ-Kennung", "Uni-Kennung", "Nom d'utilisateur", "Nombre de usuario",
        "Usuario", "Nome utente", "Nome de usuário", "Nome de utilizador", "Gebruikersnaam", "Nazwa użytkownika",
        "Uživatelské jméno", "Používateľské meno", "Användarnamn", "Brugernavn", "Brukernavn", "Käyttäjätunnus", "Kullanıcı adı",
        "Имя пользователя", "Логин", "Ім'я користувача", "Логін", "用户名", "使用者名稱", "ユーザ名", "사용자 이름",
        "اسم المستخدم", "שם משתמש",
    ),
    "section": (
        "section", "sections", "tutorial", "Tutorium", "Gruppe", "Übungsgruppe", "Groupe", "TD", "Grupo", "Gruppo", "Turma",
        "Groep", "Grupa", "Skupina", "Grupp", "Ryhmä", "Csoport", "Grup", "Группа", "Група", "班级", "班級", "クラス", "분반",
        "الشعبة",
    ),
    "group": ("group", "team"),
    "extension": ("extension", "extensions"),
    "excused": ("excused", "exempt"),
}  # fmt: skip
#: The same by ``title_key``.
COLUMNS = {name: tuple(dict.fromkeys(map(title_key, titles))) for name, titles in _TITLES.items()}
#: The columns that a teacher may write, as messages name them.
ROSTER_COLUMNS = ("id", "last_name", "first_name", "name", "email", "login", "section", "group", "extension", "excused")

#: The titles of Moodle's own columns, from its language packs.
_MOODLE = {
    "grade": (
        "Grade", "Bewertung", "Note", "Calificación", "Valutazione", "Nota", "Qualificació", "Cualificación", "Beoordeling",
        "Cijfer", "Ocena", "Hodnocení", "Známka", "Betyg", "Karakter", "Arvosana", "Osztályzat", "Not", "Notă", "Оценка",
        "Оцінка", "成绩", "成績", "評点", "評定", "성적", "Điểm", "العلامة", "الدرجة", "ציון", "Βαθμός",
    ),
    "most": (
        "Maximum grade", "Bestwertung", "Höchste Bewertung", "Note maximale", "Calificación máxima", "Valutazione massima",
        "Nota máxima", "Avaliação máxima", "Qualificació màxima", "Cualificación máxima", "Maximumcijfer", "Maximaal cijfer",
        "Maksymalna ocena", "Nejvyšší možné hodnocení", "Nejvyšší hodnocení", "Högsta betyg", "Maksimumkarakter",
        "Suurin arvosana", "Maximális osztályzat", "En yüksek not", "Notă maximă", "Максимальная оценка",
        "Максимальна оцінка", "Максимална оценка", "最高分", "最高成績", "最高分數", "最大評点", "最高評点", "최고 성적",
        "أقصى علامة",
    ),
    "submitted": (
        "Last modified (submission)", "Zuletzt geändert (Abgabe)", "Dernière modification (travail remis)",
        "Última modificación (entrega)", "Ultima modifica (consegna)", "Última modificação (trabalho)",
        "Última modificação (envio)", "Última atualização (submissão)", "Laatst gewijzigd (inzending)",
        "Ostatnia modyfikacja (zadanie)", "Poslední změna (odevzdání)", "Senast modifierat (inlämning)",
        "Son düzenleme (gönderim)", "Последнее изменение (ответ)", "最后修改（学生）", "最終更新日時 (提出)",
        "آخر تعديل (التسليم)",
    ),
    "comments": (
        "Feedback comments", "Feedback als Kommentar", "Commentaires de feedback", "Comentarios de retroalimentación",
        "Commenti di feedback", "Comentários de feedback", "Feedback commentaar", "Отзыв в виде комментария", "评语反馈",
        "フィードバックコメント", "تعليقات الإفادة",
    ),
}  # fmt: skip
MOODLE_COLUMNS: Mapping[str, Sequence[str]] = {
    **{name: tuple(map(title_key, titles)) for name, titles in _MOODLE.items()},
    "name": COLUMNS["part_of_name"],
    "email": COLUMNS["email"],
    "number": COLUMNS["id"],
    "user": (*COLUMNS["login"], "username"),
}


def find_columns(header: Sequence[str]) -> dict[str, int]:
    """Return the indices of a roster's columns, each the first with one of its titles.

    If only one part of the name has a column, ``part_of_name`` is the other part, the one that is missing from the result.
    """
    places: dict[str, int] = {}
    for place, title in enumerate(header):
        key = title_key(title)
        name = next((name for name, titles in COLUMNS.items() if key in titles), None)
        if name is not None:
            places.setdefault(name, place)
    return places
